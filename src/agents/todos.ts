import type { Todo } from "../events.ts";
import { type JsonObject, objectsAt, stringAt } from "./json.ts";

/** The list in the `todos` of a tool call's input. Agents name the text of an entry differently. */
export function todosIn(input: JsonObject): Todo[] {
  return objectsAt(input, "todos").map((todo) =>
    todoOf(
      stringAt(todo, "content") ?? stringAt(todo, "description") ?? "",
      stringAt(todo, "status") ?? "pending",
    ),
  );
}

/** An entry of a list by the words that agents use for its state: `completed`, or `TODO_STATUS_COMPLETED`. */
export function todoOf(text: string, status: string): Todo {
  const word = status.toLowerCase().replace(/^todo_status_/, "");
  return { text, state: word === "completed" ? "done" : word === "in_progress" ? "active" : "pending" };
}

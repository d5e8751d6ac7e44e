import type { AgentEvent } from "../../events.ts";
import { isObject, type JsonObject, objectAt, objectsAt, stringAt } from "../json.ts";
import { todoOf, todosIn } from "../todos.ts";

interface Task {
  readonly text: string;
  readonly status: string;
}

/** The list that Claude keeps for itself, put together from the tool calls that change it. */
export interface TaskList {
  /** Takes note of a call; gives the whole list when the call itself holds it. */
  called(callId: string, name: string, input: JsonObject): readonly AgentEvent[];
  /** Takes note of the outcome of a call; gives the whole list when it changed. */
  answered(callId: string, ok: boolean, text: string, outcome: unknown): readonly AgentEvent[];
}

/** A task list that is empty at first. `TodoWrite` sets it whole; `TaskCreate` and `TaskUpdate` change single tasks. */
export function taskList(): TaskList {
  const tasks = new Map<string, Task>();
  const open = new Map<string, { readonly name: string; readonly input: JsonObject }>();
  const whole = (): readonly AgentEvent[] => [
    { type: "todos", items: [...tasks.values()].map((task) => todoOf(task.text, task.status)) },
  ];
  return {
    called(callId, name, input) {
      if (name === "TodoWrite") return [{ type: "todos", items: todosIn(input) }];
      if (name === "TaskCreate" || name === "TaskUpdate" || name === "TaskList")
        open.set(callId, { name, input });
      return [];
    },
    answered(callId, ok, text, outcome) {
      const call = open.get(callId);
      open.delete(callId);
      const told = isObject(outcome) ? outcome : {};
      if (call === undefined || !ok || told["success"] === false) return [];
      if (call.name === "TaskCreate") return create(tasks, call.input, text, told) ? whole() : [];
      if (call.name === "TaskUpdate") return update(tasks, call.input) ? whole() : [];
      return replace(tasks, told) ? whole() : [];
    },
  };
}

function create(tasks: Map<string, Task>, input: JsonObject, text: string, told: JsonObject): boolean {
  const id = stringAt(objectAt(told, "task"), "id") ?? /^Task #(\S+) created/.exec(text)?.[1];
  const subject = stringAt(input, "subject");
  if (id === undefined || subject === undefined) return false;
  tasks.set(id, { text: subject, status: "pending" });
  return true;
}

function update(tasks: Map<string, Task>, input: JsonObject): boolean {
  const id = stringAt(input, "taskId") ?? "";
  const task = tasks.get(id);
  if (task === undefined) return false;
  const status = stringAt(input, "status") ?? task.status;
  if (status === "deleted") return tasks.delete(id);
  tasks.set(id, { text: stringAt(input, "subject") ?? task.text, status });
  return true;
}

function replace(tasks: Map<string, Task>, told: JsonObject): boolean {
  if (!Array.isArray(told["tasks"])) return false;
  tasks.clear();
  for (const task of objectsAt(told, "tasks")) {
    const id = stringAt(task, "id");
    if (id !== undefined) {
      tasks.set(id, { text: stringAt(task, "subject") ?? "", status: stringAt(task, "status") ?? "pending" });
    }
  }
  return true;
}

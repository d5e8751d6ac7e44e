/** `ralph-proof/testing`: an agent that plays a script, a journal in memory, a clock that tests move themselves. */
export { fakeClock } from "./testing/clock.ts";
export { memoryJournal } from "./testing/journal.ts";
export {
  type Action,
  type Script,
  type ScriptedAgent,
  type ScriptedCall,
  type ScriptedTurn,
  scriptedAgent,
} from "./testing/script.ts";

/**
 * The environment of a thread: nothing of the process's own but where compiled
 * sources are kept, which is this user's directory. Without it a thread strips and
 * compiles every file anew, for a third of a second.
 */
export const threadEnv = (): Record<string, string> => {
  const { NODE_COMPILE_CACHE: compiled } = process.env
  return compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }
}

/**
 * For the environment of a thread or a worker, which is otherwise clean: where this
 * user's compiled sources are kept. Without it every file is stripped and compiled
 * anew, for a third of a second.
 */
export const compileCacheEnv = (): Record<string, string> => {
  const { NODE_COMPILE_CACHE: compiled } = process.env
  return compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }
}

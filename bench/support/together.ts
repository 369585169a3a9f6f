/**
 * Starts several things at once. Rejects with the first failure when all have
 * settled, so that nothing comes up behind the back of a stage that is being closed.
 */
export const together = async <T extends readonly unknown[]>(
  ...work: { [K in keyof T]: Promise<T[K]> }
): Promise<T> => {
  await Promise.allSettled(work)
  return Promise.all(work) as unknown as Promise<T>
}

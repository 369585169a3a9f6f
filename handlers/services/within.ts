import { unavailable } from '../errors.ts'

/**
 * Resolves as `work`, or rejects after `ms`, while it goes on.
 *
 * @param late what it rejects with then; default a 503
 */
export const within = async <T>(
  ms: number,
  work: Promise<T>,
  late: () => Error = () => unavailable('The machine did not answer in time.'),
): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const ended = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), ms)
  })
  try {
    return await Promise.race([work, ended])
  } finally {
    if (timer !== undefined) clearTimeout(timer)
  }
}

/** Waits for `work`, at most `timeoutMs`; whether it settled in time. Its failure is of no interest here. */
export const settledWithin = async (
  work: Promise<unknown>,
  timeoutMs: number,
): Promise<boolean> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => {
      resolve(false)
    }, timeoutMs)
  })
  const done = work.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([done, late])
  } finally {
    if (timer !== undefined) clearTimeout(timer)
  }
}

/**
 * A case of a contract that also runs inside workerd, where no test runner is:
 * plain functions, plain assertions, nothing of Node.
 */
export interface ContractCase {
  name: string
  run(): Promise<void>
}

/** A case by its name and what it does. */
export const contractCase = (name: string, run: () => Promise<void>): ContractCase => ({
  name,
  run,
})

const plain = (value: unknown): unknown =>
  value instanceof Uint8Array ? { bytes: [...value] } : value

const text = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => plain(part)) ?? 'undefined'

/** Fails unless both are equal as JSON (bytes by value). */
export const same = (actual: unknown, expected: unknown, what = 'value'): void => {
  if (text(actual) !== text(expected)) {
    throw new Error(`${what}: got ${text(actual)}, expected ${text(expected)}`)
  }
}

/** Fails unless the condition holds. */
export const holds = (condition: boolean, what: string): void => {
  if (!condition) throw new Error(`does not hold: ${what}`)
}

/** Runs the cases one after the other; for runtimes without a test runner. */
export const runCases = async (
  cases: readonly ContractCase[],
): Promise<{ name: string; error: string | null }[]> => {
  const results = []
  for (const { name, run } of cases) {
    const error = await run().then(
      () => null,
      (reason: unknown) =>
        reason instanceof Error ? (reason.stack ?? reason.message) : `${reason}`,
    )
    results.push({ name, error })
  }
  return results
}

/**
 * The part of a Redis client that the shared layer needs, by shape, so that this
 * library imports no client and runs where there is none.
 */
export interface RedisDriver {
  /**
   * Sends one command. `key` decides the node in a cluster. Bulk replies are
   * `Uint8Array`, numbers are numbers, nil is null. Rejects within a short time
   * (a tenth of a second or so) when the server does not answer, and at once
   * when there is no connection. `patient` allows seconds, for long replies.
   */
  send(
    key: string,
    command: readonly (string | Uint8Array)[],
    options?: { patient?: boolean },
  ): Promise<unknown>
}

const decoder = new TextDecoder()

/** Text of a bulk or simple reply; empty for anything else. */
export const replyText = (reply: unknown): string => {
  if (typeof reply === 'string') return reply
  return reply instanceof Uint8Array ? decoder.decode(reply) : ''
}

/** Items of an array reply; none for anything else. */
export const replyList = (reply: unknown): unknown[] => (Array.isArray(reply) ? reply : [])

/** Number of an integer reply or of digits; 0 for anything else. */
export const replyNumber = (reply: unknown): number => {
  if (typeof reply === 'number') return reply
  const value = Number(replyText(reply))
  return Number.isFinite(value) ? value : 0
}

/** Runs a script on one slot: all its keys share a hash tag. */
export const runScript = (
  driver: RedisDriver,
  script: string,
  keys: readonly [string, ...string[]],
  values: readonly (string | number | Uint8Array)[],
  options: { patient?: boolean } = {},
): Promise<unknown> =>
  driver.send(
    keys[0],
    [
      'EVAL',
      script,
      String(keys.length),
      ...keys,
      ...values.map((value) => (typeof value === 'number' ? String(value) : value)),
    ],
    options,
  )

const ZERO = 48

/** Copies few bytes: below a hundred or so a loop costs less than a call of `set`. Answers where they end. */
export const copyBytes = (
  from: Uint8Array,
  start: number,
  end: number,
  to: Uint8Array,
  at: number,
): number => {
  for (let i = start; i < end; i++) to[at++] = from[i] as number
  return at
}

/** How many decimal digits a whole number from 0 on has. */
export const digitsOf = (value: number): number => {
  let digits = 1
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits++
  return digits
}

/** Writes a whole number from 0 on in decimal digits. Answers where they end. */
export const writeDigits = (value: number, to: Uint8Array, at: number): number => {
  const end = at + digitsOf(value)
  let rest = value
  for (let i = end - 1; i >= at; i--) {
    const tens = Math.floor(rest / 10)
    to[i] = ZERO + (rest - tens * 10)
    rest = tens
  }
  return end
}

/** Writes a short text of one byte per character. Answers where it ends. */
export const writeText = (text: string, to: Uint8Array, at: number): number => {
  for (let i = 0; i < text.length; i++) to[at++] = text.charCodeAt(i)
  return at
}

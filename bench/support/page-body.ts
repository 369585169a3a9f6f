const WORDS =
  'harbour ship rope anchor tide lantern captain crew quay signal deck sail wind chart compass cargo crane buoy mast keel pilot dock island current storm'.split(
    ' ',
  )

/** The same numbers on every machine (a linear congruential generator, modulus 2^32). */
const numbers = function* (seed: number): Generator<number> {
  for (let state = seed >>> 0; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state >>> 8
  }
}

/** An HTML page of exactly `bytes` bytes of ASCII, as compressible as text is; the same for the same arguments. */
export const pageBody = (bytes: number, seed = 1): string => {
  const end = '</p></body></html>\n'
  const source = numbers(seed)
  const next = (): number => source.next().value as number
  let text = '<!doctype html><html><head><title>A page</title></head><body><p>'
  while (text.length < bytes) {
    const word = WORDS[next() % WORDS.length] ?? ''
    text += next() % 40 === 0 ? `</p>\n<p class="c${next() % 1000}">` : `${word}${next() % 7} `
  }
  return text.slice(0, bytes - end.length) + end
}

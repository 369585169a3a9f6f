const NOUNS = 'harbour ship rope anchor tide lantern captain crew quay signal deck sail wind chart'
const VERBS = 'watches carries follows leaves repairs signals remembers waits for keeps turns to'
const OTHERS = 'compass cargo crane buoy mast keel pilot dock island current storm morning evening'

/** The same numbers on every machine (a linear congruential generator, modulus 2^32). */
const numbers = function* (seed: number): Generator<number> {
  for (let state = seed >>> 0; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state >>> 8
  }
}

/** An article as a blog's front page lists them; about 700 bytes. */
const article = (next: () => number): string => {
  const one = (words: string): string => {
    const all = words.split(' ')
    return all[next() % all.length] ?? ''
  }
  const sentence = (): string =>
    `The ${one(OTHERS)} ${one(NOUNS)} ${one(VERBS)} the ${one(OTHERS)} ${one(NOUNS)}.`
  const title = `${one(NOUNS)} and ${one(OTHERS)}`
  const id = next() % 10_000
  const day = (next() % 28) + 1
  return `<article id="post-${id}" class="post type-post status-publish format-standard hentry">
<header class="entry-header"><h2 class="entry-title"><a href="/2026/11/${title.replaceAll(' ', '-')}-${id}/" rel="bookmark">The ${title}</a></h2></header>
<div class="entry-content"><p>${sentence()} ${sentence()}</p><p>${sentence()} ${sentence()} ${sentence()}</p></div>
<footer class="entry-meta"><time datetime="2026-11-${day}T08:30:00+00:00">${day} November 2026</time> <a href="/author/editor/">editor</a></footer></article>
`
}

/** An HTML page of exactly `bytes` bytes of ASCII, as compressible as such pages are; the same for the same arguments. */
export const pageBody = (bytes: number, seed = 1): string => {
  const end = '</p></body></html>\n'
  const source = numbers(seed)
  const next = (): number => source.next().value as number
  let text = '<!doctype html><html lang="en"><head><title>Harbour News</title></head><body>\n'
  while (text.length < bytes) text += article(next)
  return text.slice(0, bytes - end.length) + end
}

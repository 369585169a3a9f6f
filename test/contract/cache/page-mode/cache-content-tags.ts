import { ownTag, purgeAll, REVALIDATE_HEADER } from '#edge-cache/index.ts'
import { holds, same, type ContractCase, contractCase } from './cache-case.ts'
import { encodedPage, encodingHarness, PAGE, TEXT } from './cache-encoding-harness.ts'
import { createHarness, html, type Harness, type LowerLayer, withLower } from './cache-harness.ts'

const STRONG = /^"[A-Za-z0-9_-]{16}"$/
const MODIFIED = 'Wed, 21 Oct 2015 07:28:00 GMT'

/** The tag of a hit. */
const tagOf = async (harness: Harness, headers: Record<string, string> = {}): Promise<string> => {
  const answer = await harness.ask(PAGE, { headers })
  await answer.text()
  same(answer.headers.get('x-cache'), 'HIT')
  return answer.headers.get('etag') ?? ''
}

const harnessOf = (origin: () => Response): Harness => {
  const harness = createHarness()
  harness.origin = origin
  return harness
}

/** ETags that the page cache gives pages whose origin gave none. */
export const cacheContentTagsContract = (
  createLower: () => Promise<LowerLayer>,
): ContractCase[] => [
  contractCase('content tag: a hit has a strong one, and is a 304 to who has it', async () => {
    const harness = harnessOf(() => html('0123456789'))
    const miss = await harness.ask(PAGE)
    same(miss.headers.get('etag'), null)
    await miss.text()
    const tag = await tagOf(harness)
    holds(STRONG.test(tag), tag)
    for (const field of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const answer = await harness.ask(PAGE, { headers: { 'if-none-match': field } })
      same(answer.status, 304, field)
      same(answer.headers.get('etag'), tag)
      same(answer.headers.get('x-cache'), 'HIT')
      same(await answer.text(), '')
    }
    same((await harness.ask(PAGE, { headers: { 'if-none-match': '"x"' } })).status, 200)
    same((await harness.ask(PAGE, { headers: { 'if-match': '"x"' } })).status, 412)
    same((await harness.ask(PAGE, { headers: { 'if-match': tag } })).status, 200)
    const part = { range: 'bytes=2-3', 'if-range': tag }
    same((await harness.ask(PAGE, { headers: part })).status, 206)
    const hot = harness.cache.lookup('a.test', '/page', false)
    same(hot?.etag, tag, 'on the fast path')
    same(hot && ownTag(hot), tag)
    same(harness.seen.length, 1, 'requests to the origin')
  }),
  contractCase(
    'content tag: of the content, so that a page made anew is the same or another',
    async () => {
      let body = 'one'
      const harness = harnessOf(() => html(body, { 'x-made': String(harness.seen.length) }))
      await harness.get(PAGE)
      const tag = await tagOf(harness)
      harness.purge(purgeAll())
      await harness.get(PAGE)
      same(await tagOf(harness), tag, 'the same text')
      body = 'two'
      harness.purge(purgeAll())
      await harness.get(PAGE)
      holds((await tagOf(harness)) !== tag, 'another text')
      same((await harness.ask(PAGE, { headers: { 'if-none-match': tag } })).status, 200)
    },
  ),
  contractCase('content tag: one of each coding', async () => {
    const harness = await encodedPage()
    const plain = await tagOf(harness)
    const tags = new Set([plain])
    for (const coding of ['gzip', 'br']) {
      const accept = { 'accept-encoding': coding }
      const tag = await tagOf(harness, accept)
      same(tag, `${plain.slice(0, -1)}-${coding}"`)
      tags.add(tag)
      const again = await harness.accept(coding, { 'if-none-match': tag })
      same(again.status, 304)
      same(again.headers.get('etag'), tag)
      same(again.headers.get('vary'), 'Accept-Encoding')
      same((await harness.accept(coding, { 'if-none-match': plain })).status, 200)
      same(harness.cache.lookup('a.test', '/page', false, coding)?.etag, tag, 'hot')
    }
    same(tags.size, 3)
    // Parts are of the plain body, and so is their tag.
    const part = await harness.accept('gzip', { range: 'bytes=0-9' })
    same(part.headers.get('etag'), plain)
    same(await part.text(), TEXT.slice(0, 10))
  }),
  contractCase(
    'content tag: what the origin coded has the tag of its bytes, as it is',
    async () => {
      const harness = encodingHarness({}, { 'content-encoding': 'gzip' })
      await harness.ask(PAGE, { headers: { 'accept-encoding': 'gzip' } }).then((a) => a.text())
      holds(STRONG.test(await tagOf(harness, { 'accept-encoding': 'gzip' })), 'strong')
    },
  ),
  contractCase('content tag: the tag of the origin stays, weak as it may be', async () => {
    for (const etag of ['"mine"', 'W/"mine"']) {
      const harness = harnessOf(() => html('x', { etag }))
      await harness.get(PAGE)
      same(await tagOf(harness), etag)
    }
  }),
  contractCase(
    'content tag: beside the Last-Modified of the origin, which stays and counts',
    async () => {
      const harness = harnessOf(() => html('x', { 'last-modified': MODIFIED }))
      await harness.get(PAGE)
      holds(STRONG.test(await tagOf(harness)), 'strong')
      const answer = await harness.ask(PAGE, { headers: { 'if-modified-since': MODIFIED } })
      same(answer.status, 304)
      same(answer.headers.get('last-modified'), MODIFIED)
    },
  ),
  contractCase('content tag: none for a file whose own tag was taken away', async () => {
    const harness = harnessOf(() =>
      html('x', { 'last-modified': MODIFIED, [REVALIDATE_HEADER]: '1' }),
    )
    await harness.get(PAGE)
    same(await tagOf(harness), '')
  }),
  contractCase('content tag: the origin is never asked for it', async () => {
    const harness = harnessOf(() => html('x', { 'cache-control': 'max-age=10' }))
    await harness.get(PAGE)
    await tagOf(harness)
    harness.nowMs += 11_000
    await harness.get(PAGE)
    same(harness.seen[1]?.headers.get('if-none-match'), null)
  }),
  contractCase(
    'content tag: another process finds it in the lower layer',
    withLower(createLower, async (lower) => {
      const first = createHarness({ l2: lower.source })
      first.origin = () => html('shared')
      await first.get(PAGE)
      const tag = await tagOf(first)
      for (const l1 of [true, false]) {
        const other = createHarness({ l2: lower.source, l1 })
        const answer = await other.ask(PAGE, { headers: { 'if-none-match': tag } })
        same(answer.status, 304)
        same(other.seen.length, 0)
      }
    }),
  ),
]

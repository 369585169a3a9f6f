import { describe, expect, it } from 'vitest'
import { discoverTargets, type WarmDocument, type WarmTarget } from '#edge-cache/index.ts'
import { parseLinks } from '#edge-cache/warm/parse-links.ts'
import { parseRobotsSitemaps, parseSitemap } from '#edge-cache/warm/parse-sitemap.ts'

/** Of four million characters: what went over them again for each piece would take hours. */
const LENGTH = 4_000_000

describe('sitemaps', () => {
  it('pages in order, references and CDATA resolved, other elements ignored', () => {
    const xml = `<?xml version="1.0"?><!-- <loc>http://a.test/no</loc> -->
      <urlset xmlns:image="x"><url><loc> http://a.test/a&amp;b </loc>
      <image:image><image:loc>http://a.test/i.png</image:loc></image:image></url>
      <url><loc><![CDATA[http://a.test/c]]></loc></url><url><loc>http://a.test/&#x65E5;&#26412;</loc>
      <url><LOC>http://a.test/d&unknown;</LOC></url><url><loc></loc></url></urlset>`
    expect(parseSitemap(xml, 10)).toEqual({
      pages: [
        'http://a.test/a&b',
        'http://a.test/c',
        'http://a.test/日本',
        'http://a.test/d&unknown;',
      ],
      children: [],
    })
  })

  it('an index has children, not pages', () => {
    const xml = '<sitemapindex><sitemap><loc>http://a.test/1.xml</loc></sitemap></sitemapindex>'
    expect(parseSitemap(xml, 10)).toEqual({ pages: [], children: ['http://a.test/1.xml'] })
  })

  it('is bounded in number and length, and takes what stands before a fault', () => {
    const many = '<urlset>' + '<url><loc>http://a.test/x</loc></url>'.repeat(100)
    expect(parseSitemap(many, 7).pages).toHaveLength(7)
    expect(
      parseSitemap(`<loc>http://a.test/${'x'.repeat(3000)}</loc><loc>/y</loc>`, 9).pages,
    ).toEqual(['/y'])
    expect(parseSitemap('<loc>/a</loc><loc>/b', 9).pages).toEqual(['/a'])
    expect(parseSitemap('not xml at all', 9)).toEqual({ pages: [], children: [] })
  })

  it('expands no declared entities and reads nothing else', () => {
    const xml =
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><urlset><loc>/&e;</loc></urlset>'
    expect(parseSitemap(xml, 9).pages).toEqual(['/&e;'])
  })

  it.each(['<!--', '<loc ', '<loc>', '&#', '</'])(
    '%s a million times is read to its end',
    (piece) => {
      const text = piece.repeat(Math.floor(LENGTH / piece.length))
      expect(parseSitemap(text, 1000)).toEqual({ pages: [], children: [] })
    },
  )

  it('robots.txt names them too', () => {
    const text =
      'User-agent: *\nDisallow: /\nsitemap : http://a.test/1.xml # one\rSitemap: /2.xml\n'
    expect(parseRobotsSitemaps(text, 9)).toEqual(['http://a.test/1.xml', '/2.xml'])
    expect(parseRobotsSitemaps(text, 1)).toHaveLength(1)
  })
})

describe('links', () => {
  const links = (html: string, max = 99): string[] => parseLinks(html, 'http://a.test/dir/', max)

  it('of <a href> in every notation, each once, in order', () => {
    expect(
      links(`<a href="/b">b</a><A class=x HREF='../c'>c</A><a href=d>d</a><a
        href = "?q=1">q</a><a href="/b#x">again</a><a href="//other.test/e">e</a><a title="a href=/no">
        <a data-href="/no2">n</a><a href="/m&amp;n">mn</a><a name=top>t</a>`),
    ).toEqual([
      'http://a.test/b',
      'http://a.test/c',
      'http://a.test/dir/d',
      'http://other.test/e',
      'http://a.test/m&n',
    ])
  })

  it('not of comments, scripts, styles and templates, nor what is no page', () => {
    expect(
      links(`<!-- <a href=/1> --><script>'<a href="/2">'</script><STYLE><a href=/3></style >
        <template><a href=/4></template><a href="javascript:alert(1)"><a href="mailto:x@a.test">
        <a href="/x.jpg"><a href="/y.PDF"><a href="/z" rel="nofollow noopener"><a href="/d" download>
        <a href="http://[bad"><a href="/ok">İİİ<!-- x --><a href=/ok2>`),
    ).toEqual(['http://a.test/ok', 'http://a.test/ok2'])
  })

  it('heeds <base>, is bounded, and survives what is broken off', () => {
    expect(links('<base href="/x/"><a href="y">')).toEqual(['http://a.test/x/y'])
    expect(links('<a href=/1><a href=/2><a href=/3>', 2)).toHaveLength(2)
    expect(links('<a href=/1><script><a href=/2>')).toEqual(['http://a.test/1'])
  })

  it.each(['<a ', '<a href=', '<!--', '<script>', '<a href="', '< a href=x>', '<script></script'])(
    '%s a million times is read to its end',
    (piece) => {
      const text = piece.repeat(Math.floor(LENGTH / piece.length))
      expect(links(text)).toEqual([])
    },
  )
})

describe('discovery', () => {
  const create = (documents: Record<string, Partial<WarmDocument> | string>, max = 10) => {
    const read: string[] = []
    const target = (url: string): WarmTarget | null => {
      const { hostname, pathname, search } = new URL(url)
      return hostname === 'a.test' && search === ''
        ? { host: 'a.test', path: pathname, secure: false }
        : null
    }
    const run = () =>
      discoverTargets({
        home: 'http://a.test/',
        max,
        page: (url) => (url.includes('/excluded') ? null : target(url)),
        document: target,
        read({ path }) {
          read.push(path)
          const found = documents[path]
          if (found === undefined) {
            return Promise.resolve({
              status: 404,
              contentType: 'text/html',
              location: null,
              text: '',
            })
          }
          const own = typeof found === 'string' ? { text: found } : found
          const contentType = path.endsWith('.xml')
            ? 'application/xml'
            : path.endsWith('.txt')
              ? 'text/plain'
              : 'text/html'
          return Promise.resolve({ status: 200, contentType, location: null, text: '', ...own })
        },
      })
    return { run: async () => (await run()).map(({ path }) => path), read }
  }
  const urls = (...paths: string[]): string =>
    `<urlset>${paths.map((path) => `<loc>http://a.test${path}</loc>`).join('')}</urlset>`
  const index = (...paths: string[]): string => urls(...paths).replaceAll('urlset', 'sitemapindex')

  it('home page, sitemaps in order, then links; each page once, the same every time', async () => {
    const { run } = create({
      '/': '<a href=/l1><a href=/2><a href=/l2>',
      '/sitemap.xml': index('/one.xml', '/two.xml'),
      '/one.xml': urls('/1', '/', '/2', '/excluded'),
      '/two.xml': `${urls('/3')}<loc>http://evil.test/x</loc>`,
    })
    const first = await run()
    expect(first).toEqual(['/', '/1', '/2', '/3', '/l1', '/l2'])
    expect(await run()).toEqual(first)
  })

  it.each([1, 2, 4])('at most %i', async (max) => {
    const { run, read } = create({ '/sitemap.xml': urls('/1', '/2', '/3', '/4') }, max)
    expect(await run()).toEqual(['/', '/1', '/2', '/3'].slice(0, max))
    expect(read).toEqual(max === 1 ? [] : ['/sitemap.xml'])
  })

  it('follows redirects within the site, and none out of it', async () => {
    const moved = (location: string): Partial<WarmDocument> => ({ status: 301, location })
    const inside = create({
      '/sitemap.xml': moved('/wp-sitemap.xml'),
      '/wp-sitemap.xml': urls('/w'),
    })
    expect(await inside.run()).toEqual(['/', '/w'])
    const outside = create({ '/sitemap.xml': moved('http://169.254.169.254/x.xml') })
    expect(await outside.run()).toEqual(['/'])
    const circle = create({ '/sitemap.xml': moved('/sitemap.xml') })
    await circle.run()
    expect(circle.read.filter((path) => path === '/sitemap.xml')).toHaveLength(4)
  })

  it('sitemaps that name themselves and each other end', async () => {
    const { run, read } = create({
      '/sitemap.xml': index('/sitemap.xml', '/b.xml'),
      '/b.xml': index('/sitemap.xml', ...Array.from({ length: 100 }, (_, i) => `/${i}.xml`)),
    })
    await run()
    expect(read.length).toBeLessThanOrEqual(22)
  })

  it('robots.txt where there is no sitemap.xml; an HTML answer to it is none', async () => {
    const { run } = create({
      '/sitemap.xml': { contentType: 'text/html', text: urls('/soft-404') },
      '/robots.txt': 'Sitemap: http://a.test/s.xml',
      '/s.xml': urls('/r'),
    })
    expect(await run()).toEqual(['/', '/r'])
  })
})

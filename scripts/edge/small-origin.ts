import { createServer, type Server } from 'node:http'

/** So long it takes for a page, so that a stored one shows. */
const PAGE_MS = 400

const page = (title: string, text: string): string => `<!doctype html>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>body{font:16px/1.6 system-ui;margin:3rem auto;max-width:36rem;padding:0 1rem}</style>
<h1>${title}</h1><p>${text}</p>
<p><a href="/">Home</a> <a href="/news">News</a> <a href="/basket">Basket</a></p>
`

/** A site as there are many: pages that take a while, one that is tagged, one that is each visitor's own. */
export const createSmallOrigin = (): Server => {
  let runs = 0
  const texts: Record<string, { title: string; text: string; fields?: Record<string, string> }> = {
    '/': { title: 'Home', text: 'This page is the same for everybody.' },
    '/news': {
      title: 'News',
      text: 'This one has the tag "news".',
      fields: { 'cache-tag': 'news' },
    },
    '/basket': {
      title: 'Basket',
      text: 'This one is yours alone.',
      fields: { 'cache-control': 'private' },
    },
  }
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://origin')
    const found = texts[pathname]
    setTimeout(() => {
      response.writeHead(found === undefined ? 404 : 200, {
        'content-type': 'text/html; charset=utf-8',
        ...found?.fields,
      })
      const { title, text } = found ?? { title: 'Nothing here', text: 'There is no such page.' }
      response.end(page(title, `${text} The origin made it in its run ${(runs += 1)}.`))
    }, PAGE_MS)
  })
}

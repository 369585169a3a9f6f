import type { Route } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { openApiDocument } from './document.ts'
import { PAGE_STYLE } from './page-style.ts'
import { openApiPage } from './page.ts'

/** What holds for both answers. */
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** Source expression of a style sheet for a Content-Security-Policy. */
const hashOf = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`
}

/** Builds once, when first asked for. */
const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** What the API says about itself: the document of `routes`, and the same as a page. */
export const documentRoutes = (routes: () => readonly Route[]): Route[] => {
  const document = once(() => openApiDocument(routes()))
  const text = once(() => JSON.stringify(document()))
  const page = once(() => openApiPage(document()))
  const policy = once(
    async () =>
      `default-src 'none'; style-src ${await hashOf(PAGE_STYLE)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  const on = routesOf('Documentation')
  return [
    on.self.get('/api/openapi.json', {
      summary: 'This document',
      description: 'OpenAPI 3.1. It needs a token like everything but setup, login and logout.',
      raw: { mediaTypes: ['application/json'], description: 'OpenAPI 3.1, outside the envelope.' },
      handle: async () =>
        new Response(text(), {
          headers: { ...HEADERS, 'content-type': 'application/json; charset=utf-8' },
        }),
    }),
    on.self.get('/api/docs', {
      summary: 'This document as a page',
      description: 'It needs a token; a browser that is logged in to the panel has the cookie.',
      raw: { mediaTypes: ['text/html'], description: 'HTML without scripts.' },
      handle: async () =>
        new Response(page(), {
          headers: {
            ...HEADERS,
            'content-type': 'text/html; charset=utf-8',
            'content-security-policy': await policy(),
            'referrer-policy': 'no-referrer',
          },
        }),
    }),
  ]
}

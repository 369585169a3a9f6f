import type { RequestHandler } from '@sveltejs/kit'

/** The same API that the panel's listener answers, for `load` functions: no network hop. */
export const fallback: RequestHandler = (event) =>
  event.locals.panel(event.request, {
    clientAddress: event.getClientAddress(),
    secure: event.url.protocol === 'https:',
  })

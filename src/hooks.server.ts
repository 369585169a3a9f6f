import type { Handle, HandleServerError, ResolveOptions } from '@sveltejs/kit'
import { chooseTimeZone, TIME_ZONE_COOKIE } from '$lib/format/time/time-zone'
import { PANEL_KEY, type PanelGlobal } from '$lib/server/panel-global'
import { withTexts } from '$lib/server/request-texts'
import { parseTheme, THEME_COOKIE } from '$lib/state/theme'
import { chooseLanguage, LANGUAGE_COOKIE } from '$lib/texts/languages'

const composedPanel = (): PanelGlobal => {
  const panel = (globalThis as { [PANEL_KEY]?: PanelGlobal })[PANEL_KEY]
  if (!panel) throw new Error('The panel API is not composed. Start the UI through `berth serve`.')
  return panel
}

/** Hands the composed API, the chosen theme and the language to every route. */
export const handle: Handle = async ({ event, resolve }) => {
  event.locals.panel = composedPanel()
  event.locals.theme = parseTheme(event.cookies.get(THEME_COOKIE))
  event.locals.language = chooseLanguage(
    event.cookies.get(LANGUAGE_COOKIE),
    event.request.headers.get('accept-language'),
  )
  event.locals.timeZone = chooseTimeZone(event.cookies.get(TIME_ZONE_COOKIE))
  const { language, theme, timeZone } = event.locals
  const options: ResolveOptions = {
    transformPageChunk: ({ html }) =>
      html
        .replace('%berth.theme%', theme)
        .replace('%berth.language%', language)
        .replace('%berth.zone%', timeZone),
    filterSerializedResponseHeaders: (name) => name === 'x-error-field',
    preload: ({ type, path }) =>
      type === 'js' || type === 'css' || (type === 'font' && path.includes('inter-latin-opsz')),
  }
  const response = await withTexts(language, () => resolve(event, options), timeZone)
  // Pages show what one user may see; nothing of them outlives the session in a cache.
  response.headers.set('cache-control', 'no-store')
  return response
}

/** Nothing of a fault's cause reaches the browser; it goes to the panel's log. Below 500 the request is at fault. */
export const handleError: HandleServerError = ({ error, event, status }) => {
  if (status >= 500) {
    const cause = error instanceof Error ? (error.stack ?? error.message) : String(error)
    // Goes to stderr on a machine, to the log of the Worker at the edge.
    console.error(
      JSON.stringify({ name: 'panel-ui', level: 50, path: event.url.pathname, msg: cause }),
    )
  }
  if (status === 404) return { message: 'Page not found' }
  if (status === 405) return { message: 'This page takes no such request' }
  if (status < 500) return { message: 'The request cannot be answered' }
  return { message: 'Something went wrong on the server' }
}

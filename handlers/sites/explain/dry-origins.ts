import type { SiteTestOutcome } from '../../ports/host/web/site-test.ts'
import type { PhpCall, PhpOrigin } from '../origins/php-origin.ts'
import type { ProxyOrigin } from '../origins/proxy-origin.ts'
import type { SiteFiles } from '../site-files.ts'

/** What a site's answer would come from, without anything being run. */
export interface DryOrigins {
  files: SiteFiles
  php: PhpOrigin
  proxy: ProxyOrigin
  /** What would answer, now that the response says so much. */
  outcome(response: Pick<Response, 'status' | 'headers'>): SiteTestOutcome
}

const nothing = (): Response => new Response(null, { status: 200 })

/** Scripts and applications that are only noted, and files that are opened as ever. */
export const dryOrigins = (files: SiteFiles): DryOrigins => {
  let opened: string | null = null
  let passedOn: string | null = null
  let script: PhpCall | null = null
  return {
    files: {
      ...files,
      judge: (place) => files.judge(place),
      list: (place, max, isWanted) => files.list(place, max, isWanted),
      async open(place) {
        const found = await files.open(place)
        if (typeof found === 'object') opened = place.path
        return found
      },
    },
    php: {
      run: async (_request, call) => {
        script = call
        return nothing()
      },
    },
    proxy: {
      run: async (_request, { requestUri }) => {
        passedOn = requestUri
        return nothing()
      },
    },
    outcome({ status, headers }) {
      const location = headers.get('location')
      const page = { status, location, file: script?.scriptName ?? opened, query: null }
      if (status >= 400) return { kind: 'status', ...page }
      if (location !== null && status >= 300) return { kind: 'redirect', ...page, file: null }
      const open = { status: null, location: null }
      if (passedOn !== null) return { kind: 'application', ...open, file: null, query: passedOn }
      if (script !== null) {
        const { scriptName: file, queryString } = script
        return { kind: 'script', ...open, file, query: queryString === '' ? null : queryString }
      }
      return { kind: opened === null ? 'listing' : 'file', ...page }
    },
  }
}

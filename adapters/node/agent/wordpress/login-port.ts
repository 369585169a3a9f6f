import { z } from 'zod'
import { createOneTimeTickets } from '#handlers/domain/access/one-time-tickets.ts'
import { AppError, conflict, notFound } from '#handlers/errors.ts'
import type {
  WordpressLoginPort,
  WordpressPlace,
} from '#handlers/ports/host/wordpress/wordpress-login.ts'
import type { Registry } from '../registry/types.ts'
import { openPlace } from './places/open-place.ts'
import type { RunInSite } from './run-in-site.ts'

const TICKET_MS = 30_000
const MAX_TICKETS = 1000
/** Of one account. */
const MAX_OWN_TICKETS = 20

/** What an administrator's log-in answers to a browser. */
export interface SiteLogin {
  /** Values of `Set-Cookie`. */
  cookies: string[]
  /** Absolute, of the same site. */
  location: string
}

/** What the web server asks: takes a ticket that was sent to a site, by its primary name. 404 for any that is not good there. */
export type EnterSite = (domain: string, ticket: string) => Promise<SiteLogin>

interface Ticket {
  username: string
  path: string
  url: string
  domain: string
  user: number
}

const administratorsSchema = z.object({
  users: z
    .array(
      z.object({
        id: z.number().int().positive(),
        login: z.string().max(200),
        email: z.string().max(200),
      }),
    )
    .max(100),
})
/** No octet that ends a cookie or a field. */
const token = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/)
const enteredSchema = z.object({
  cookies: z
    .array(
      z.object({
        name: token,
        value: z.string().max(2000),
        path: z.string().regex(/^\/[\x21-\x3a\x3c-\x7e]{0,1000}$/),
        secure: z.boolean(),
      }),
    )
    .max(20),
  location: z.url().max(2000),
  domain: z.string().regex(/^[A-Za-z0-9.-]{0,253}$/),
})

type Cookie = z.output<typeof enteredSchema>['cookies'][number]

const cookieText = ({ name, value, path, secure }: Cookie, domain: string): string =>
  [
    `${name}=${encodeURIComponent(value)}`,
    `Path=${path}`,
    ...(domain === '' ? [] : [`Domain=${domain}`]),
    'HttpOnly',
    ...(secure ? ['Secure'] : []),
  ].join('; ')

/** `WordpressLoginPort`, and what the web server asks of it. */
export const createWordpressLoginPort = (deps: {
  registry: Pick<Registry, 'account' | 'vhost' | 'vhostsOf'>
  runInSite: RunInSite
  nowMs: () => number
}): WordpressLoginPort & { enter: EnterSite } => {
  const { registry, runInSite } = deps
  const tickets = createOneTimeTickets<Ticket>({
    ...{ lifeMs: TICKET_MS, most: MAX_TICKETS, mostOfOne: MAX_OWN_TICKETS },
    nowMs: deps.nowMs,
  })
  const administrators = async ({ url, ...place }: WordpressPlace) => {
    const { account, phpVersion, folder } = openPlace(registry, place)
    const order = { op: 'administrators', folder, url }
    return (await runInSite(account, phpVersion, order, administratorsSchema)).users
  }

  return {
    administrators,
    async ticket({ user, ...place }) {
      const { username, path, domain } = openPlace(registry, place)
      const { url } = place
      const ticket = tickets.issue(username, { username, path, url, domain, user })
      if (ticket === null)
        throw new AppError(429, 'Too many sites are being opened. Try again in a moment.', {
          headers: { 'retry-after': '30' },
        })
      return { ticket }
    },
    async enter(domain, ticket) {
      const about = tickets.take(ticket)
      if (about === null || about.domain !== domain)
        throw notFound('This link was used already, or is older than 30 seconds.')
      const { account, phpVersion, folder } = openPlace(registry, about)
      const { cookies, location, ...answer } = await runInSite(
        account,
        phpVersion,
        { op: 'enter', folder, url: about.url, user: about.user },
        enteredSchema,
      )
      // A site's own code may send its administrator anywhere; a link of the panel leads to the site alone.
      const { hostname } = new URL(location)
      if (hostname !== new URL(about.url).hostname)
        throw conflict(`The administration of this WordPress is at ${hostname}, not at this site.`)
      return { location, cookies: cookies.map((one) => cookieText(one, answer.domain)) }
    },
  }
}

import { REVALIDATE_HEADER } from '../../../edge-cache/index.ts'
import { isScriptSource } from '../../domain/files/script-source.ts'
import { isBelow } from '../../domain/site-settings/redirect-rules.ts'
import { isClosedName } from '../htaccess/access/closed-names.ts'
import { fileRuleOf } from '../htaccess/script-handler.ts'
import { isHiddenPath, isTooDeep } from '../paths/path-rules.ts'
import { placeOf } from '../paths/resolve-path.ts'
import { selectPart } from '../responses/conditional.ts'
import type { SiteCall } from '../site-call.ts'
import type { SiteFiles } from '../site-files.ts'
import { renderListing, type ListingPage } from './render-listing.ts'

/** Names of a directory that are looked at. */
export const MAX_LISTED = 10_000
/** How long a page is given again without a look: so long is an edit unseen. */
const BELIEVED_MS = 1000
/** Pages kept, each of at most `MAX_PAGE` characters. */
const MAX_KEPT = 8
/** Steps of `IndexIgnore` for one page: some ten milliseconds. */
const IGNORE_STEPS = 400_000
/** The same of sections for names. */
const CLOSED_STEPS = 400_000

/** Nothing in it comes from elsewhere, and nothing in it runs. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** Whether somebody who asks for a name in a directory would meet more than a 404 or a question for a password. */
const isShown = (call: SiteCall, directory: string): ((name: string) => boolean) => {
  const { vhost, plan } = call
  const settings = plan?.settings ?? null
  const budget = { ignored: { left: IGNORE_STEPS }, closed: { left: CLOSED_STEPS } }
  const closed = (vhost.guard?.protected ?? []).filter(({ path }) => !isBelow(directory, path))
  return (name) => {
    const path = `${directory}${name}`
    // No address may hold these.
    if (/[\p{Cc}\\]/u.test(name) || isHiddenPath(path) || isTooDeep(path)) return false
    if (closed.some((one) => isBelow(path, one.path))) return false
    if (isScriptSource(name)) {
      const runs = name.endsWith('.php') || (settings && fileRuleOf(settings, name) === 'run')
      if (!vhost.php.enable || !runs) return false
    }
    if (settings === null) return true
    return (
      !settings.indexIgnore.some((test) => test(name, budget.ignored)) &&
      !isClosedName(settings.named, name, budget.closed)
    )
  }
}

/** Pages that show the names in a directory. */
export interface Listings {
  /** Answers GET or HEAD at a directory (decoded, with its final slash); null: it cannot be read. Throws `PatternLimit`. */
  answer(
    request: Pick<Request, 'method' | 'headers'>,
    call: SiteCall,
    directory: string,
  ): Promise<Response | null>
}

/**
 * Each page is made once a second at most, however many ask for it. It is compared by what it
 * shows, since a directory's own time tells nothing of the files in it.
 */
export const createListings = (files: SiteFiles, nowMs = () => performance.now()): Listings => {
  const kept = new Map<string, { untilMs: number; page: Promise<ListingPage | null> }>()

  const make = async (call: SiteCall, directory: string): Promise<ListingPage | null> => {
    const wanted = isShown(call, directory)
    const found = await files.list(placeOf(call.vhost, directory), MAX_LISTED, wanted)
    return typeof found === 'string' ? null : renderListing(directory, found)
  }

  const pageOf = (call: SiteCall, directory: string): Promise<ListingPage | null> => {
    const { root, home, uid, path } = placeOf(call.vhost, directory)
    // What is left out depends on the site and its rules, and on nothing of the visitor.
    const rules = [call.plan?.edition, call.plan?.verdicts.join('')]
    const key = [root, home, uid, call.vhost.domain, ...rules, path].join('\0')
    const known = kept.get(key)
    if (known !== undefined && nowMs() < known.untilMs) return known.page
    const page = make(call, directory)
    kept.delete(key)
    for (const oldest of kept.keys()) if (kept.size >= MAX_KEPT) kept.delete(oldest)
    const entry = { untilMs: Infinity, page }
    kept.set(key, entry)
    const settled = (): void => {
      entry.untilMs = nowMs() + BELIEVED_MS
    }
    page.then(settled, () => kept.get(key) === entry && kept.delete(key))
    return page
  }

  return {
    async answer({ method, headers: asked }, call, directory) {
      const page = await pageOf(call, directory)
      if (page === null) return null
      const { body, etag } = page
      const { status } = selectPart(method, asked, { etag, lastModifiedMs: Infinity }, 0)
      const headers: Record<string, string> = {
        etag,
        [REVALIDATE_HEADER]: '1',
        'content-security-policy': POLICY,
      }
      if (status === 304) return new Response(null, { status, headers })
      headers['content-type'] = 'text/html; charset=utf-8'
      headers['content-length'] = String(body.byteLength)
      return new Response(method === 'HEAD' ? null : body, { headers })
    },
  }
}

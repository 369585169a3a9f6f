import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import type { Effect, Profile } from '../../domain/profiles/profile.ts'
import { isSafe } from '../../domain/profiles/judge-request.ts'
import { profileOf, recognise } from '../../domain/profiles/profiles.ts'
import { rootOf } from '../paths/resolve-path.ts'
import type { SiteFiles } from '../site-files.ts'

/** Which applications sites are made with, and what becomes of their changes. */
export interface SiteApplications {
  /**
   * The profile of a virtual host's application; null: none. A promise only where its
   * files have to be looked at first. `method`: of the request; one that may change
   * something makes a site that is nothing yet be looked at again sooner.
   */
  of(vhost: VirtualHostConfig, method: string): Profile | null | Promise<Profile | null>
  /** A request has changed the site's public pages; resolves when nobody gets the old ones. Never rejects. */
  changed(vhost: VirtualHostConfig, effect: Exclude<Effect, 'none'>): Promise<void>
}

/** A document root is looked at no more often. */
const LOOK_MS = 30_000
/** Where nothing was recognised: it may just have been installed. */
const LOOK_AGAIN_MS = 2000
const MAX_SITES = 20_000

interface Site {
  root: string
  profile: Profile | null
  lookedAtMs: number
}

/**
 * Recognises applications by their files, which are judged like all files of a site.
 */
export const createSiteApplications = (deps: {
  files: Pick<SiteFiles, 'judge'>
  changed: SiteApplications['changed']
  /**
   * Told what a site is found to be, the first time and when that changed; resolves
   * when pages of what it was before are gone. Never rejects.
   */
  recognised(vhost: VirtualHostConfig, application: string | null): Promise<void>
  nowMs(): number
}): SiteApplications => {
  const { files, changed, recognised, nowMs } = deps
  const sites = new Map<string, Site>()
  const looking = new Map<string, Promise<Profile | null>>()

  const exists = async (vhost: VirtualHostConfig, relative: string): Promise<boolean> => {
    const root = rootOf(vhost)
    const isBeside = relative.startsWith('../')
    const place = {
      root: isBeside ? root.slice(0, root.lastIndexOf('/')) : root,
      home: vhost.home ?? vhost.root,
      uid: vhost.uid,
      path: `/${isBeside ? relative.slice(3) : relative}`,
    }
    return (await files.judge(place)) === 'file'
  }
  const look = async (vhost: VirtualHostConfig): Promise<Profile | null> => {
    const { domain, root } = vhost
    const lookedAtMs = nowMs()
    const before = sites.get(domain)
    const known = before?.root === root ? before : null
    let profile: Profile | null
    try {
      profile = await recognise((relative) => exists(vhost, relative))
    } catch {
      // The disk is busy or at fault: what was known stays, and is looked at again.
      return known?.profile ?? null
    }
    if (sites.size >= MAX_SITES) sites.clear()
    sites.set(domain, { root, profile, lookedAtMs })
    if (known === null) void recognised(vhost, profile?.name ?? null)
    else if (known.profile !== profile) await recognised(vhost, profile?.name ?? null)
    return profile
  }
  const lookOnce = (vhost: VirtualHostConfig): Promise<Profile | null> => {
    const key = `${vhost.domain} ${vhost.root}`
    let under = looking.get(key)
    if (under === undefined) {
      under = look(vhost)
      looking.set(key, under)
      void under.finally(() => looking.delete(key))
    }
    return under
  }

  return {
    changed,
    of(vhost, method) {
      const chosen = vhost.cache.application
      if (chosen !== null) return profileOf(chosen)
      const site = sites.get(vhost.domain)
      if (site === undefined || site.root !== vhost.root) return lookOnce(vhost)
      const ageMs = nowMs() - site.lookedAtMs
      if (site.profile === null && ageMs >= LOOK_AGAIN_MS && !isSafe(method)) return lookOnce(vhost)
      if (ageMs >= LOOK_MS) void lookOnce(vhost)
      return site.profile
    },
  }
}

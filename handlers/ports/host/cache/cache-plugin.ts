/**
 * The plugin `berth-cache` of a site's WordPress. `none`: it is not there; `current`: as this
 * installation has it; `other`: another edition of it; `foreign`: a file of that name that is not ours.
 */
export type CachePluginState = 'none' | 'current' | 'other' | 'foreign'

/** Where the plugin lies, or would. */
export interface CachePlugin {
  /** Of the file, relative to the home. */
  path: string
  state: CachePluginState
}

/** Looks for the plugin of sites, and puts it there, as the account. */
export interface CachePluginPort {
  /** Null: no WordPress is in the site's document root. 404 for a site that is not the panel's. */
  find(input: { domain: string }): Promise<CachePlugin | null>
  /**
   * Puts the plugin in place (over another edition of it) or takes it away, and purges the site.
   * 409 where no WordPress is, or the file is not ours.
   */
  change(input: { domain: string; installed: boolean }): Promise<CachePlugin>
}

import type { CacheConfig } from '../../edge-cache/config.ts'

const MASK = '***'

/** The URL without its password and parameters; anything that is no URL is masked whole. */
export const maskUrl = (text: string): string => {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return MASK
  }
  // `name:secret@host` is a URL of scheme `name`, and an unescaped "/" in a password begins the path.
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || url.pathname.includes('@')) return MASK
  // Of redis://secret@host the secret is read as a user name.
  const user = url.password === '' ? '' : decodeURIComponent(url.username)
  const credentials = url.password === '' && url.username === '' ? '' : `${user}:${MASK}@`
  const query = url.search === '' ? '' : `?${MASK}`
  return `${url.protocol}//${credentials}${url.host}${url.pathname}${query}`
}

/** The cache configuration as it may be shown. */
export const maskCacheConfig = (config: CacheConfig): CacheConfig => ({
  ...config,
  redis_url: config.redis_url === null ? null : maskUrl(config.redis_url),
})

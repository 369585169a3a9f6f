import type { ServerConfig } from '#handlers/domain/config-types.ts'

/** What stands in place of a secret. */
const MASK = '********'

/** Password of a URL replaced, wherever it may stand; a URL that cannot be parsed shows nothing but its scheme. */
const maskUrl = (text: string): string => {
  try {
    const url = new URL(text)
    if (url.password !== '') url.password = MASK
    for (const name of [...url.searchParams.keys()])
      if (/pass|secret|token|auth/i.test(name)) url.searchParams.set(name, MASK)
    return url.toString()
  } catch {
    return `${text.split(':')[0]}://${MASK}`
  }
}

/** The configuration as it may be shown: no secret leaves it. */
export const maskSecrets = (config: ServerConfig): ServerConfig => ({
  ...config,
  cache: {
    ...config.cache,
    redis_url: config.cache.redis_url === null ? null : maskUrl(config.cache.redis_url),
  },
})

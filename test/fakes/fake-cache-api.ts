import type { CacheApi } from '#edge-cache/index.ts'

const isKept = (headers: Headers): boolean => {
  const control = headers.get('cache-control') ?? ''
  return !headers.has('set-cookie') && /(?:^|,)\s*max-age=[1-9]/.test(control)
}

/**
 * The Cache API as workerd has it, as far as the store uses it: addresses are
 * http(s) URLs, answers with cookies or without a lifetime are dropped silently,
 * `Vary: *` and partial answers are errors, and each `match` gives a fresh response.
 */
export const createFakeCacheApi = (): CacheApi => {
  const kept = new Map<string, { headers: [string, string][]; body: ArrayBuffer }>()
  const addressOf = (text: string): string => {
    const url = new URL(text)
    if (!/^https?:$/.test(url.protocol)) throw new TypeError(`not an http address: ${text}`)
    url.hash = ''
    return url.href
  }
  return {
    match(url) {
      const found = kept.get(addressOf(url))
      return Promise.resolve(found && new Response(found.body.slice(0), { headers: found.headers }))
    },
    async put(url, response) {
      const address = addressOf(url)
      if (response.status === 206) throw new TypeError('a partial answer cannot be put')
      if (response.headers.get('vary')?.includes('*')) throw new TypeError('Vary: * cannot be put')
      const body = await response.arrayBuffer()
      if (isKept(response.headers)) kept.set(address, { headers: [...response.headers], body })
    },
    delete: (url) => Promise.resolve(kept.delete(addressOf(url))),
  }
}

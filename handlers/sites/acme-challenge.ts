const PREFIX = '/.well-known/acme-challenge/'

/** Where certificate authorities look, over http and whatever certificate is there (RFC 8555, 8.3). */
export const isChallenge = (path: string): boolean => path.startsWith(PREFIX)

/**
 * Answer to a request for the proof that a name leads here (RFC 8555, 8.3);
 * null when it is none, or its token is not ours: then the site answers as it
 * does for any path. The host does not matter: whoever knows the random token
 * learns nothing from its response. A query is ignored.
 */
export const serveChallenge = (
  method: string,
  rawTarget: string,
  challenge: ((token: string) => string | null) | undefined,
): Response | null => {
  if (challenge === undefined || !isChallenge(rawTarget)) return null
  if (method !== 'GET' && method !== 'HEAD') return null
  const content = challenge(rawTarget.slice(PREFIX.length).split('?')[0] ?? '')
  if (content === null) return null
  return new Response(method === 'HEAD' ? null : content, {
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(content.length),
      'cache-control': 'no-store',
    },
  })
}

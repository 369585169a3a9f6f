/** The static table, index 1 first (RFC 7541 appendix A). */
export const STATIC_FIELDS: readonly (readonly [name: string, value: string])[] = [
  ...[':authority=', ':method=GET', ':method=POST', ':path=/', ':path=/index.html'],
  ...[':scheme=http', ':scheme=https', ':status=200', ':status=204', ':status=206'],
  ...[':status=304', ':status=400', ':status=404', ':status=500', 'accept-charset='],
  ...['accept-encoding=gzip, deflate', 'accept-language=', 'accept-ranges=', 'accept='],
  ...['access-control-allow-origin=', 'age=', 'allow=', 'authorization=', 'cache-control='],
  ...['content-disposition=', 'content-encoding=', 'content-language=', 'content-length='],
  ...['content-location=', 'content-range=', 'content-type=', 'cookie=', 'date=', 'etag='],
  ...['expect=', 'expires=', 'from=', 'host=', 'if-match=', 'if-modified-since='],
  ...['if-none-match=', 'if-range=', 'if-unmodified-since=', 'last-modified=', 'link='],
  ...['location=', 'max-forwards=', 'proxy-authenticate=', 'proxy-authorization=', 'range='],
  ...['referer=', 'refresh=', 'retry-after=', 'server=', 'set-cookie='],
  ...['strict-transport-security=', 'transfer-encoding=', 'user-agent=', 'vary=', 'via='],
  'www-authenticate=',
].map((field) => {
  const at = field.indexOf('=')
  return [field.slice(0, at), field.slice(at + 1)] as const
})

/**
 * How many bits the code of each octet has, one digit (base 36) per octet
 * (RFC 7541 appendix B). The codes follow from that: they are counted up, shorter
 * ones first, octets of one length in their order. The end mark comes last, 30 ones.
 */
export const HUFFMAN_BITS: readonly number[] = Array.from(
  [
    'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca',
    'd67777777777777777777777878djde6f56565666577666567655677777fbeds',
    'kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn',
    'qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq',
  ].join(''),
  (digit) => Number.parseInt(digit, 36),
)

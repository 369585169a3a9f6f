/** What failures of targets look like, and what to do about each. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  // What is out of reach says so itself.
  [/berth\.toml|private addresses for this target|allow_private/, ''],
  [
    /SignatureDoesNotMatch/,
    'The secret key does not belong to the access key id: give both anew, and the region that the bucket is in.',
  ],
  [/InvalidAccessKeyId/, 'The service does not know this access key id. Check it.'],
  [/NoSuchBucket/, 'There is no bucket of that name. Make it first, or mend its name.'],
  [
    /AccessDenied|answered 403/,
    'The key may not do this: allow it to put, get and list objects of this bucket and path.',
  ],
  [
    /AuthorizationHeaderMalformed|PermanentRedirect|answered 30\d/,
    'The bucket is in another region or at another endpoint. Mend region and endpoint.',
  ],
  [/RequestTimeTooSkewed/, "This machine's clock is wrong. Set it, by NTP for example."],
  [
    /authentication methods failed/i,
    'The server refuses this user with this password or key. Check all three.',
  ],
  [
    /parse privateKey|private key|passphrase/i,
    'The private key cannot be used. Give one in OpenSSH or PEM form, without a passphrase.',
  ],
  [/another key than/, 'Compare the fingerprint with the one of the server before taking it.'],
  [
    /permission denied/i,
    'The user may not do this in that directory. Give it rights there, or name another path.',
  ],
  [/ENOTFOUND|EAI_AGAIN/, 'The name of the endpoint cannot be resolved. Check it, and DNS.'],
  [
    /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/,
    'Nothing answers at this address and port. Check the endpoint, and firewalls between.',
  ],
  [
    /did not answer in time|ETIMEDOUT|timed out/i,
    'It does not answer. Check the endpoint, and firewalls between.',
  ],
  [
    /certificate|altnames|SSL|TLS|EPROTO/i,
    'Its TLS certificate is not one for this name that this machine trusts.',
  ],
]

/** What to do about a failure of a target, as a sentence; '' where the failure says it. */
export const failureAdvice = (failure: string): string => {
  const found = ADVICE.find(([pattern]) => pattern.test(failure))
  return found === undefined ? 'Check its settings.' : found[1]
}

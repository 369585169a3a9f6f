/** On everything the panel sends. The UI's own policy with nonces comes from Kit. */
const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // Not `no-referrer`: with it browsers send `Origin: null` on the panel's own forms.
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cross-origin-resource-policy': 'same-origin',
}

/** The headers that keep other sites out; over plain http browsers ignore one and complain. */
export const securityHeaders = (secure: boolean): Readonly<Record<string, string>> =>
  secure ? { ...ALWAYS, 'cross-origin-opener-policy': 'same-origin' } : ALWAYS

/** Besides, for API answers, which are never a document. */
export const API_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}

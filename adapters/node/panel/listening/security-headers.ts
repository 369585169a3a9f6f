import type { ServerResponse } from 'node:http'

/** On everything the panel sends. The UI's own policy with nonces comes from Kit. */
const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // Not `no-referrer`: with it browsers send `Origin: null` on the panel's own forms.
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cross-origin-resource-policy': 'same-origin',
}

/** Sets the headers that keep other sites out; over plain http browsers ignore one and complain. */
export const setSecurityHeaders = (outgoing: ServerResponse, secure: boolean): void => {
  for (const [name, value] of Object.entries(ALWAYS)) outgoing.setHeader(name, value)
  if (secure) outgoing.setHeader('cross-origin-opener-policy', 'same-origin')
}

/** For API answers, which are never a document. */
export const setApiHeaders = (outgoing: ServerResponse): void => {
  outgoing.setHeader(
    'content-security-policy',
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
}

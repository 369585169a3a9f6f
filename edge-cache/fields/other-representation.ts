/**
 * Fields by which scripts ask for something else than the page (a fragment, JSON)
 * at the page's own address, usually without a `Vary` in the response.
 */
export const NEGOTIATION_HEADERS = [
  'x-requested-with',
  'x-pjax',
  'x-inertia',
  'x-livewire',
  'x-api-key',
  'rsc',
] as const

/** The same for whole families of names: htmx and Turbo. */
export const NEGOTIATION_PREFIXES = ['hx-', 'turbo-'] as const

/** Android's browser views send the name of the app they are part of, as in `com.example.mail`. */
const ANDROID_PACKAGE = /^[a-z]\w*(?:\.[a-z]\w*)+$/i

const isNegotiation = (name: string, value: string): boolean => {
  if (name === 'x-requested-with') return !ANDROID_PACKAGE.test(value)
  return (
    (NEGOTIATION_HEADERS as readonly string[]).includes(name) ||
    NEGOTIATION_PREFIXES.some((prefix) => name.startsWith(prefix))
  )
}

/** Whether the request wants another representation than the page that is stored for its address. */
export const wantsOtherRepresentation = (headers: Headers): boolean => {
  for (const [name, value] of headers) if (isNegotiation(name, value)) return true
  return false
}

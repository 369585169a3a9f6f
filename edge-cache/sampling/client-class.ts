import { deviceClass } from '../address/device-class.ts'

/**
 * The class of a request, as sites tell visitors apart that do not say so: kind of
 * device and first language, e.g. `mobile de`; `-` is no language, `?` none that is one.
 */
export const clientClass = (headers: Headers): string => {
  const wanted = headers.get('accept-language')?.trim().slice(0, 8).toLowerCase() ?? ''
  const language = /^[a-z]{2,3}(?![a-z0-9])/.exec(wanted)?.[0] ?? (wanted === '' ? '-' : '?')
  return `${deviceClass(headers.get('user-agent'))} ${language}`
}

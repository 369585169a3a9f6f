import { texts } from '$lib/texts'
import { callApi, sendApi } from './call-api'
import type { ApiResult, Passkey } from './types'

interface Begun {
  options: Record<string, unknown>
  ceremony: string
}

// Read by who uses a passkey, not by every page.
const library = () => import('@simplewebauthn/browser')

/** Whether this browser knows passkeys and may use them at the address that the panel has. */
export const passkeysWork = (): boolean =>
  typeof window !== 'undefined' &&
  window.isSecureContext &&
  'PublicKeyCredential' in window &&
  !/^\[|\.\d+$/.test(window.location.hostname)

const failed = (error: unknown): ApiResult<never> => {
  const known = error instanceof Error && error.name === 'InvalidStateError'
  return {
    ok: false,
    error: known ? texts.passkeys.known : texts.passkeys.broken,
    status: 0,
    field: null,
  }
}

/** Makes a passkey with what the browser offers, and adds it under a name. */
export const makePasskey = async (input: {
  name: string
  password: string
  code: string
}): Promise<ApiResult<Passkey>> => {
  const { name, password, code } = input
  const begun = await callApi<Begun>('POST', '/api/auth/passkeys/options', {
    password,
    ...(code === '' ? {} : { code }),
  })
  if (!begun.ok) return begun
  const { options, ceremony } = begun.data
  const { startRegistration } = await library()
  type Options = Parameters<typeof startRegistration>[0]['optionsJSON']
  try {
    const credential = await startRegistration({ optionsJSON: options as unknown as Options })
    return await callApi<Passkey>('POST', '/api/auth/passkeys', { ceremony, name, credential })
  } catch (error) {
    return failed(error)
  }
}

/** Logs in with a passkey that the user chooses; the session is in the cookie. */
export const logInWithPasskey = async (): Promise<ApiResult<unknown>> => {
  const begun = await sendApi<Begun>('POST', '/api/auth/passkey/options')
  if (!begun.ok) return begun
  const { options, ceremony } = begun.data
  const { startAuthentication } = await library()
  type Options = Parameters<typeof startAuthentication>[0]['optionsJSON']
  try {
    const credential = await startAuthentication({ optionsJSON: options as unknown as Options })
    return await sendApi('POST', '/api/auth/passkey', { ceremony, credential })
  } catch (error) {
    return failed(error)
  }
}

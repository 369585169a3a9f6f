import type { ChannelState, WebChannelPort } from '#handlers/ports/host/web/web-channel.ts'

/** Looks like one, and is none. */
const fakeCertificate = (id: string): string =>
  `-----BEGIN CERTIFICATE-----\n${btoa(id.padEnd(63))}\n-----END CERTIFICATE-----\n`

/** Whose a certificate of a fake is. */
export const fakeChannelId = (certificate: string): string =>
  atob(certificate.split('\n')[1] ?? '').trim()

/** A machine at the web channel, held in memory. */
export const createFakeWebChannel = (): WebChannelPort => {
  const state: ChannelState = { id: null, certificate: null, peers: [], listen: [] }
  return {
    state: async ({ role }) => ({ ...state, listen: role === 'host' ? ['10.0.0.2:7443'] : [] }),
    async arrange({ id, role, peers }) {
      Object.assign(state, { id, certificate: fakeCertificate(id), peers })
      return { ...state, listen: role === 'host' ? ['10.0.0.2:7443'] : [] }
    },
  }
}

import type { HostLinks } from '#handlers/ports/host-links.ts'
import { fakeChannelId } from '../web/fake-web-channel.ts'

const nobody = (): Promise<never> => Promise.reject(new Error('nobody has keys here'))

/** The part of links that a panel without keys of its own has. */
export const noLinkKeys: Pick<
  HostLinks,
  | 'keys'
  | 'prepareKeys'
  | 'keysNamed'
  | 'dropKeys'
  | 'prepareCertificate'
  | 'useCertificate'
  | 'validUntilMs'
  | 'channelId'
> = {
  keys: () => Promise.resolve([]),
  ...{ prepareKeys: nobody, keysNamed: nobody, dropKeys: nobody },
  ...{ prepareCertificate: nobody, useCertificate: nobody },
  validUntilMs: () => null,
  channelId: fakeChannelId,
}

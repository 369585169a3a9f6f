import { editionVariant, keyId, type PageVariant } from './key.ts'

/**
 * Where a page is looked up: what its ids are made of, and the ids. One object
 * serves any number of look-ups, which then need not put the ids together.
 */
export interface PageAddress {
  /** Lower case. */
  readonly host: string
  readonly path: string
  readonly secure: boolean
  readonly device: PageVariant
  readonly edition: string
  /** Id of the page of this scheme. */
  readonly own: string
  /** Id of the page that http and https share. */
  readonly shared: string
}

/** `host` is lower case already. */
export const pageAddress = (
  host: string,
  path: string,
  secure: boolean,
  device: PageVariant,
  edition: string,
): PageAddress => {
  const variant = editionVariant(device, edition)
  return {
    ...{ host, path, secure, device, edition },
    own: keyId(host, path, secure ? 'https' : 'http', variant),
    shared: keyId(host, path, null, variant),
  }
}

/** `known` where it is the address of this page; else a new one. */
export const sameOrNewAddress = (
  known: PageAddress | null,
  host: string,
  path: string,
  secure: boolean,
  device: PageVariant,
  edition: string,
): PageAddress =>
  known !== null &&
  known.path === path &&
  known.host === host &&
  known.secure === secure &&
  known.device === device &&
  known.edition === edition
    ? known
    : pageAddress(host, path, secure, device, edition)

/** A page to be filled: a (virtual host, path) pair, and over which scheme visitors ask for it. */
export interface WarmTarget {
  /** One of the virtual host's names, lower case, without port. */
  host: string
  /** Normalised path. */
  path: string
  secure: boolean
  /** The variant for mobile devices, where a virtual host keeps one. */
  mobile?: true
}

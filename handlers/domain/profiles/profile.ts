import type { ApplicationName } from './applications.ts'

/**
 * What a request does to a site's public pages. `later`: perhaps something, a moment
 * after its response, and asked for far more often than anything changes.
 */
export type Effect = 'none' | 'now' | 'later'

/**
 * Requests of one kind. A pattern is text in which a `*` stands for anything; paths
 * are matched in their one spelling, slashes that follow each other taken as one.
 */
export interface RequestRule {
  at: readonly string[]
  /** Default: all unsafe ones. */
  methods?: readonly string[]
  /** Parameters that the query or the form must have, by name, with patterns of values; without any, any value. */
  parameters?: Readonly<Record<string, readonly string[]>>
  /** Whether parameters of the form count as well. Default false. */
  form?: boolean
  /** Only where the response leads to one of these (patterns of `Location`). Default: wherever. */
  to?: readonly string[]
  /** Not where it leads to one of these. */
  notTo?: readonly string[]
  /**
   * Only where the response leads on, or is for nobody else (`no-cache`, `no-store`,
   * `private`): whatever asks a front controller for such a path gets a page, too.
   * Default false.
   */
  own?: boolean
  effect: Effect
}

/** What the page cache knows of an application. */
export interface Profile {
  name: ApplicationName
  /** It is this application where all files of one of these are in the document root; `../` is beside it. */
  markers: readonly (readonly string[])[]
  /**
   * Patterns of its cookies of sessions and log-ins, of which the built-in list holds
   * all as well; `0123456789abcdef` twice is any 32 hexadecimal digits.
   */
  sessionCookies: readonly string[]
  /** Patterns of paths whose responses are never shared. */
  privatePaths: readonly string[]
  /**
   * Files of plugins by which the application tells what its scheduled tasks change: where one
   * of them is there, requests of effect `later` do nothing. Default: none.
   */
  tellers?: readonly string[]
  /** Patterns of `Location` of the log-in: who is led there has changed nothing. */
  login: readonly string[]
  /** The first that fits decides; what none fits changes nothing. */
  requests: readonly RequestRule[]
}

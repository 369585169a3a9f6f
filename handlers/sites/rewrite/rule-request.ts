import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import type { SiteContext } from '../site-context.ts'
import type { StepBudget } from './pattern/pattern.ts'
import type { RewriteTrace } from './rule-trace.ts'

/** What can be asked of a file. */
export type FileTest = 'file' | 'directory' | 'not-empty' | 'link' | 'exists'

/** A request as rules see it. `uri`, `query`, `filename` and `env` change while rules run. */
export interface RuleRequest {
  method: string
  headers: Headers
  context: SiteContext
  vhost: VirtualHostConfig
  /** Requested host name. */
  host: string
  /** Path as the client meant it, decoded; beginning with `/`. */
  uri: string
  /** Without `?`; empty when there is none. */
  query: string
  /** Absolute path of the file that `uri` names. */
  filename: string
  /** What follows the script's name in `uri`. */
  pathInfo: string
  env: Map<string, string>
  /** Who logged in; empty: nobody. */
  user: string
  nowMs: number
  budget: StepBudget
  /** The response is known to be for a request inside the request (a directory's index). */
  inner: boolean
  /** What is being answered, once that is known: header rules may ask for it. */
  response?: Pick<Response, 'status' | 'headers'>
  /** Who wants to know what rules do; undefined: nobody. */
  trace?: RewriteTrace | undefined
  /** Judges an absolute path; false outside the site's document root and home. */
  testFile(path: string, test: FileTest): Promise<boolean>
}

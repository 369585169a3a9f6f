import type { RewriteTrace } from '../rewrite/rule-trace.ts'
import type { RuleChain } from './files/directory-rules.ts'
import type { Answer } from './plan-step.ts'

/** Why rules were not asked although there are some. */
export type RewritingOff = 'off' | 'ended'

/** Why a plan ends with a status that no rule names. */
export type PlanEnd = 'hidden' | 'too-deep' | 'bad-address' | 'rounds' | 'steps'

/** Where an address leads when its rules are through. */
export type Onward = 'rules' | 'index' | 'stand-in'

/** Is told how a request goes through all rules; see `RewriteTrace` for those of one list. */
export interface PlanTrace extends RewriteTrace {
  /** The rules of the virtual host itself (`rewrites`) begin. */
  own(uri: string, query: string): void
  /** An address is looked at, with the files whose rules count; one of them may not be understood. */
  round(uri: string, query: string, script: string, chain: RuleChain): void
  /** The rules to rewrite are not asked. */
  notRewriting(why: RewritingOff): void
  /** `Require` and its kin shut the client out. */
  shutOut(answer: Answer): void
  /** Another address is looked at next. */
  onward(why: Onward, path: string, query: string): void
  ended(why: PlanEnd, status: number): void
}

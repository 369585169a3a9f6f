import type { RuleRequest } from '../../rewrite/rule-request.ts'
import type { RuleFiles } from '../../rule-files.ts'
import { authenticate, type Login } from './authenticate.ts'
import { checkAccess } from './check-access.ts'
import { statusResponse, type Answer } from '../plan-step.ts'
import type { Settings } from '../files/settings.ts'

/** What `Require` and its kin answer; null: the way is free. Sets the request's user. */
export const responseOfAccess = async (
  merged: Settings,
  rules: RuleRequest,
  ruleFiles: RuleFiles,
): Promise<Answer | null> => {
  let login: Promise<Login> | null = null
  const ask = (): Promise<Login> => (login ??= authenticate(merged, rules, ruleFiles))
  const verdict = await checkAccess(merged, rules, ask)
  // Asked for by rules above: the expressions and PHP know the name then.
  const asked = login === null ? null : await (login as Promise<Login>)
  rules.user = asked?.user ?? ''
  if (verdict === 'granted') return null
  if (verdict === 'denied') return statusResponse(403)
  if (merged.authType !== 'basic' || asked?.broken) return statusResponse(500)
  return { status: 401, location: null, realm: merged.authName }
}

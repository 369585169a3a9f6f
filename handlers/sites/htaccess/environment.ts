import { spend } from '../rewrite/pattern/pattern.ts'
import type { RuleRequest } from '../rewrite/rule-request.ts'
import { headerOf, variableOf } from '../rewrite/variables.ts'
import type { EnvironmentRule, Settings } from './files/settings.ts'

const MAX_VARIABLES = 200
const MAX_VALUE = 8192

const apply = (
  { set }: EnvironmentRule,
  { env, budget }: RuleRequest,
  groups: readonly string[],
): void => {
  spend(budget, set.length)
  for (const { name, value } of set) {
    if (value === null) env.delete(name)
    else if (env.size < MAX_VARIABLES) {
      spend(budget, value.length)
      const filled = value.replace(/\$(\d)/g, (_, digit: string) => {
        const group = groups[Number(digit)] ?? ''
        spend(budget, group.length)
        return group
      })
      env.set(name, filled.slice(0, MAX_VALUE))
    }
  }
}

/** `SetEnvIf` and its kin, which come before everything else. */
export const setConditionalEnvironment = async (
  settings: Settings,
  request: RuleRequest,
): Promise<void> => {
  for (const rule of settings.environment) {
    spend(request.budget, 1)
    if (rule.when === null) continue
    if ('test' in rule.when) {
      if (await rule.when.test(request)) apply(rule, request, [])
      continue
    }
    const { attribute, pattern } = rule.when
    const special = /^(?:remote|server|request)_/.test(attribute)
    spend(request.budget, attribute.length)
    // A variable that an earlier line set can be asked for too.
    const value = special
      ? variableOf(attribute === 'request_protocol' ? 'SERVER_PROTOCOL' : attribute, request)
      : headerOf(request, attribute) || (request.env.get(attribute) ?? '')
    const groups = pattern.match(value, request.budget)
    if (groups) apply(rule, request, groups)
  }
}

/** `SetEnv` and `UnsetEnv`, which come after rewriting. */
export const setPlainEnvironment = (settings: Settings, request: RuleRequest): void => {
  for (const rule of settings.environment) {
    if (rule.when !== null) continue
    spend(request.budget, rule.set.length)
    for (const { name, value } of rule.set) {
      if (value === null) request.env.delete(name)
      else if (request.env.size < MAX_VARIABLES) request.env.set(name, value.slice(0, MAX_VALUE))
    }
  }
}

/**
 * How the names of variables begin that hold for a request, whatever address it is led to: those
 * that a configuration of nginx had, where they do.
 */
export const REQUEST_WIDE = 'ngx_'

/** After an internal redirect variables are known by another name, as Apache does, but for those of the request. */
export const redirectedEnvironment = (env: ReadonlyMap<string, string>): Map<string, string> => {
  // How rules see that a request comes by for the second time.
  const renamed = new Map([['REDIRECT_STATUS', '200']])
  for (const [name, value] of env) {
    if (name === 'REDIRECT_STATUS' || name.startsWith('REDIRECT_REDIRECT_REDIRECT_')) continue
    renamed.set(name.startsWith(REQUEST_WIDE) ? name : `REDIRECT_${name}`, value)
  }
  return renamed
}

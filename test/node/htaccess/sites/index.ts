import type { CaseSite } from '../support/case-site.ts'
import { access } from './access.ts'
import { answers } from './responses.ts'
import { applications } from './applications.ts'
import { bypasses } from './bypasses.ts'
import { contentSystems } from './content-systems.ts'
import { expressionNames } from './expression-names.ts'
import { expressions } from './expressions.ts'
import { listings } from './listings.ts'
import { nesting } from './nesting.ts'
import { ownWays } from './own-ways.ts'
import { pathInfo } from './path-info.ts'
import { redirects } from './redirects.ts'
import { rewriteConditions } from './rewrite-conditions.ts'
import { rewriteFlags } from './rewrite-flags.ts'
import { sections } from './sections.ts'
import { securityRules } from './security-rules.ts'

/** Every site of the comparison. */
export const caseSites: readonly CaseSite[] = [
  ...rewriteFlags,
  ...rewriteConditions,
  ...redirects,
  ...answers,
  ...access,
  ...nesting,
  ...applications,
  ...contentSystems,
  ...securityRules,
  ...bypasses,
  ...sections,
  ...expressions,
  ...expressionNames,
  ...listings,
  ...pathInfo,
  ...ownWays,
]

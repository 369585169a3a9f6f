import { siteSuite } from '#test/contract/sites/sites.ts'
import { makeMemorySite } from './memory-site.ts'

siteSuite('site in memory', makeMemorySite)

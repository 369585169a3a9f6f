import { swapSuite } from './swap-suite.ts'

swapSuite('apache')

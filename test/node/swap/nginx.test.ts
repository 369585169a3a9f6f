import { swapSuite } from './swap-suite.ts'

swapSuite('nginx')

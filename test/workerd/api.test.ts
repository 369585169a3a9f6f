import { apiContract } from '#test/contract/frame/api-contract.ts'
import { makeWorkerdApi } from './api-workerd.ts'

apiContract('workerd with D1', makeWorkerdApi)

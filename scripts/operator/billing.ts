import { correctBalance, giveCredit, operatorAccount } from '../../server/modules/billing/credit.ts'
import { creditsText } from '../../server/modules/billing/price-schema.ts'
import { correctInput, creditInput, tierInput } from '../../server/modules/billing/schema.ts'
import { setTier } from '../../server/modules/billing/set-limits.ts'
import type { Command } from './command.ts'

const reason = { type: 'string', description: 'Reason to record permanently in the ledger.', required: true } as const

export const credit: Command = {
  name: 'credit',
  takes: ['account', 'credits'],
  description: 'Adds credits to an account without a payment. ACCOUNT is its ID or its owner’s email address.',
  options: { reason },
  async run({ args: { account = '', credits = '' }, options }, print) {
    const input = creditInput.parse({ credits, reason: options.reason })
    const ctx = await operatorAccount(account)
    const { seq, balance } = await giveCredit(ctx, input)
    print(`The balance of ${ctx.accountId} is ${creditsText(balance)} credits (entry ${seq}).`)
    return 0
  },
}

export const correct: Command = {
  name: 'correct',
  takes: ['account', 'credits'],
  description: 'Corrects a balance with a separate ledger entry: adds credits, or removes them with --take.',
  options: { reason, take: { type: 'boolean', description: 'Removes the credits instead of adding them.' } },
  async run({ args: { account = '', credits = '' }, options }, print) {
    const input = correctInput.parse({ credits, direction: options.take ? 'take' : 'add', reason: options.reason })
    const ctx = await operatorAccount(account)
    const { seq, balance } = await correctBalance(ctx, input)
    print(`The balance of ${ctx.accountId} is ${creditsText(balance)} credits (entry ${seq}).`)
    return 0
  },
}

export const tier: Command = {
  name: 'set-tier',
  takes: ['account', 'tier'],
  description: 'Sets an account’s tier, free or paid. Takes effect with its next token.',
  async run({ args: { account = '', tier: named = '' } }, print) {
    const input = tierInput.parse({ tier: named.toUpperCase() })
    const ctx = await operatorAccount(account)
    await setTier(ctx, input)
    print(`${ctx.accountId} is now on the ${input.tier === 'PAID' ? 'paid' : 'free'} tier.`)
    return 0
  },
}

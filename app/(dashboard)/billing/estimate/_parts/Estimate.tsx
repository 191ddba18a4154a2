'use client'

import { NumberInput, SimpleGrid, Slider, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatCredits } from '#server/modules/billing/price-schema'
import { useTRPC } from '../../../../_trpc/client'
import { formatCount } from '../../../../_ui/format'
import { Notice } from '../../../../_ui/Notice'
import { Panel } from '../../../../_ui/Panel'
import { BillingFrame } from '../../_parts/BillingFrame'
import { AS_BEFORE } from './as-before'
import classes from './Estimate.module.css'

const MARKS = [100, 500, 1_000].map((value) => ({ value, label: `${formatCount(value)}%` }))

/** Formats credits from 1 upwards with two decimals: more would claim a precision that an estimate does not have. */
const formatEstimate = (credits: string) => formatCredits(Number(credits) < 1 ? credits : Number(credits).toFixed(2))

const daysText = (days: number) => (days === 1 ? '1 day' : `${days} days`)

/** Shows what the account would pay under other volumes, prices and quotas. */
export function Estimate({ mayChange }: { mayChange: boolean }) {
  return (
    <BillingFrame here="/billing/estimate" mayChange={mayChange}>
      {() => <Simulator />}
    </BillingFrame>
  )
}

/** Recomputes the account's last 90 days. */
function Simulator() {
  const trpc = useTRPC()
  const [volume, setVolume] = useState<number>(AS_BEFORE.volume)
  const [price, setPrice] = useState<number | string>(Number(AS_BEFORE.price))
  const [dailyQuota, setDailyQuota] = useState<number | string>(AS_BEFORE.dailyQuota)
  const wanted = { volume, price: String(Number(price) || 0), dailyQuota: Math.max(1, Math.floor(Number(dailyQuota)) || 1) }
  const [asked] = useDebouncedValue(wanted, 250)
  const { data } = useQuery(trpc.billing.simulate.queryOptions(asked, { placeholderData: keepPreviousData, staleTime: 60_000 }))
  return (
    <Panel title="Cost simulator">
      <Stack gap="lg">
        <Text c="dimmed" size="sm">
          Try a different volume, price or quota on your last 90 days of token requests. This changes nothing. Each retry of a refused
          request counts, so actual usage may be lower.
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg">
          <div>
            <Text size="sm" fw={550} lh={1.55} mb={8}>
              Volume: {formatCount(volume)}%
            </Text>
            <Slider
              aria-label="Volume in percent of the last 90 days"
              thumbLabel="Volume in percent of the last 90 days"
              min={10}
              max={1_000}
              step={10}
              value={volume}
              onChange={setVolume}
              marks={MARKS}
              label={null}
              mb="md"
              mx={22}
            />
          </div>
          <NumberInput label="Credits per 1,000 tokens" value={price} onChange={setPrice} min={0} max={1_000} decimalScale={6} step={0.1} />
          <NumberInput
            label="Tokens per key and day"
            value={dailyQuota}
            onChange={setDailyQuota}
            min={1}
            max={1_000_000_000}
            allowDecimal={false}
            thousandSeparator=","
          />
        </SimpleGrid>
        {data && data.was.issued + data.was.refused === 0 && (
          <Notice tone="info">You requested no playback tokens in the last 90 days, so there is nothing to estimate yet.</Notice>
        )}
        {data && data.was.issued + data.was.refused > 0 && (
          <dl className={classes.outcome}>
            <div>
              <dt>Paid tier, cost per month</dt>
              <dd>{formatEstimate(data.paid.creditsPerMonth)}</dd>
              <dd className={classes.note}>
                credits, {data.days < 90 && 'projected from '}
                {formatEstimate(data.paid.credits)} in {daysText(data.days)}
              </dd>
            </div>
            <div>
              <dt>Paid tier, refused</dt>
              <dd>{formatCount(data.paid.refused)}</dd>
              <dd className={classes.note}>of {formatCount(data.asked)} tokens, over quota</dd>
            </div>
            <div>
              <dt>Free tier, refused</dt>
              <dd>{formatCount(data.free.refused)}</dd>
              <dd className={classes.note}>of {formatCount(data.asked)} tokens, at 1,000 per key and day</dd>
            </div>
            <div>
              <dt>Actual cost</dt>
              <dd>{formatCredits(data.was.credits)}</dd>
              <dd className={classes.note}>
                credits, {formatCount(data.was.issued)} tokens issued, {formatCount(data.was.refused)} refused in{' '}
                {daysText(data.activeDays)}
              </dd>
            </div>
          </dl>
        )}
      </Stack>
    </Panel>
  )
}

-- Ids of events begin with their time (milliseconds, 12 hex digits) and go on at random (74 bits), as UUIDs of version
-- 7 do: events of one hour are neighbours in the index, whose pages are then in memory.
CREATE OR REPLACE FUNCTION new_event_id() RETURNS TEXT LANGUAGE sql VOLATILE AS $$
  SELECT 'evt_' || lpad(to_hex((extract(epoch
    FROM service_now()) * 1000)::bigint), 12, '0') || left(replace(gen_random_uuid()::text, '-', ''), 20)
$$;

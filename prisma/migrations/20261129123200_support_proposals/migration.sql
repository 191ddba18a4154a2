-- A proposed change of a quota, a limit or the tier; null: of the balance, by `credits`, which is 0 for any other.
ALTER TABLE support_approval ADD COLUMN change JSONB;

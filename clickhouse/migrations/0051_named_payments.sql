-- A payment that names its ad keeps it when a payer is assigned: it is found from the payer as well.
INSERT INTO named_outcomes SELECT profile_id, payer_subject_id, payment_id FROM payment_actions FINAL
WHERE kind = 'payer' AND payer_subject_id != toUUID('00000000-0000-0000-0000-000000000000');

.assert_hash FA43
